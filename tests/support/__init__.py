"""What several tests share: strategies and evaluators from outside."""
