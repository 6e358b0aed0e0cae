-- One process connects to Discord, and discord.py paces it: nothing is counted any more.
DROP TABLE identifies;
