"""Rules on the metadata log of KRaft. KR5xx is K(xx) of kafka/kraft.md, as far as there is one."""
