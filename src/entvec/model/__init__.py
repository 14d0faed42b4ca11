"""What turns vectors into scores: an operator, with an interpretation or a learned map."""
