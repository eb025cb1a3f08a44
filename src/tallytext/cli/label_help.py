"""What somebody who labels may want to know."""

HELP = """\
Enter          take the guess
1-9, a-z       give the label of that key; the key stays, also after a break
n              type a label, new or old: Tab completes, Enter gives, Esc goes back
s              skip the document for this session
u              take the last answer or skip back; again and again if need be
Space, arrows  all of a long document, part by part
q, Ctrl-D      end, and write the model
Ctrl-C         end at once, without a model

One label each: documents with several are not for this command. Every answer is on disk \
before the next question, in {path}; the same command goes on from there.

Most documents are asked for because they would teach most; every fifth is drawn at random. \
How often guesses on those were right is how often they are on the rest, most likely within the \
brackets (95 %). A bar stands for five such guesses: when bars no longer rise, more labels help \
little. Marked words say most for the guess or against it; numbers say how much.

Any key goes back."""
