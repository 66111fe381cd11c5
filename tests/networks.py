"""A T5 that was never trained, small enough for a test."""

from collections.abc import Iterable
from pathlib import Path


def untrained(folder: Path, texts: Iterable[str], width: int = 32) -> Path:
    """Write one into a folder, with a tokenizer that knows the words of the texts and is lost for no other."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration, set_seed

    set_seed(0)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=["<pad>", "</s>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>")
    fast.save_pretrained(folder)
    config = T5Config(
        vocab_size=len(fast),
        d_model=width,
        d_kv=16,
        d_ff=3 * width,
        num_layers=2,
        num_heads=width // 16,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        dropout_rate=0.0,
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder
