"""The rules backend: the tasks carried out by rules, in plain Python, offline.

An honest baseline: it compares what can be compared word by word (dates, numbers, places, names, opposites), and calls
everything else neutral.
"""

from .agreeing import agreement as agreement
from .asking import queries as queries
from .checking import check as check
from .corrupting import corrupt as corrupt
from .corrupting import summarise as summarise
from .critic import critique as critique
from .critic import qa_critique as qa_critique
from .critic import react as react
from .critique import program_critique as program_critique
from .critique import rewrite as rewrite
from .critique import toxicity_critique as toxicity_critique
from .dialogue import chain as chain
from .dialogue import entities as entities
from .dialogue import feedback as feedback
from .dialogue import respond as respond
from .dialogue import search_queries as search_queries
from .dialogue import utility as utility
from .editing import edit as edit
from .editing import edit_all as edit_all
from .extracting import extract as extract
from .extracting import extract_subsentences as extract_subsentences
from .ranking import rank as rank
from .verifying import claim_answer as claim_answer
from .verifying import final_answer as final_answer
from .verifying import verifying_answer as verifying_answer
from .verifying import verifying_question as verifying_question
