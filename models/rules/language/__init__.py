"""What the rules know of language: words, clauses, facts and their roles, in English, Chinese and Korean."""
