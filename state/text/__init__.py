"""Reading text: sentences, spans, numbers, dates and short answers, in English, Chinese and Korean."""
