"""Yang and Pedersen (1997): how many terms does a classifier need, and which?"""
