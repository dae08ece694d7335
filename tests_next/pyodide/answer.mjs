// Answers the questions of questions.py in Pyodide: node answer.mjs ROOT, a checkout whose folder
// .pyodide contains Pyodide and the wheels (test_pyodide.py). Writes JSON to the standard output.

import { pathToFileURL } from "node:url";

const root = process.argv[2];
const { loadPyodide } = await import(
  pathToFileURL(`${root}/.pyodide/node_modules/pyodide/pyodide.mjs`).href
);
const pyodide = await loadPyodide({ env: { EXACTDP_CORE: "new", HOME: "/home/pyodide" } });
pyodide.FS.mkdir("/checkout");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root }, "/checkout");
let found;
try {
  found = pyodide.runPython(`
import glob, json, sys, zipfile

sys.dont_write_bytecode = True  # the checkout is that of other Pythons
for wheel in glob.glob("/checkout/.pyodide/wheels/*.whl"):
    if wheel.endswith("-none-any.whl"):
        sys.path.append(wheel)
    else:
        zipfile.ZipFile(wheel).extractall("/home/pyodide/wheels")
sys.path[:0] = ["/checkout/src", "/checkout/tests_next/pyodide", "/home/pyodide/wheels"]

import questions

first = questions.facts()  # when all is loaded
answers = questions.answers()
import click, rich.table
json.dumps({"answers": answers, "facts": first})
`);
} catch (error) {
  console.error(error.message); // without it, Node shows the source of Pyodide
  process.exit(1);
}
console.log(found);
