"""A request whose connection was cut is sent again while the first of its copies is still at work."""

import msgspec

from tests.service.pond import ANNA, BERT, EAST, World, receipt, submission
from workers import clock
from workers.service.access import Sender
from workers.service.batches import Look
from workers.service.desk import Desk
from workers.service.judging import Judge
from workers.service.orders import Answer, Submission
from workers.service.views import Views

KEY = "once"


class Overtaken(Desk):
    """A desk at which, just before a request is judged, its other copy is booked."""

    def __init__(self, pond: World, sent: Submission) -> None:
        services = pond.services
        views = Views(services.campaigns, services.settings.cache_bytes)
        super().__init__(services.store, services.campaigns, views, services.settings, clock.entropy)
        self._pond, self._sent = pond, sent
        self.first: Answer | None = None

    def judge(self, look: Look, sender: Sender) -> Judge:
        self.first = self.first or self._pond.face.desk.submit(EAST, "pond", self._sent, KEY)
        return super().judge(look, sender)


def test_a_copy_that_is_judged_beside_the_first_gets_the_first_ones_answer(pond: World):
    """The orders that take the last hands are refused beside themselves: they are judged by what is booked."""
    receipt(pond.send(ANNA).results[0])
    hands = pond.services.campaigns.load("pond").settings.hands
    escorts = [{"kind": "escort", "boat": BERT["boat"], "other": ANNA["boat"]}] * hands
    sent = submission(*escorts)
    desk = Overtaken(pond, sent)

    answer = desk.submit(EAST, "pond", sent, KEY)

    assert desk.first is not None
    assert len({receipt(result).id for result in answer.results}) == hands
    assert answer == msgspec.structs.replace(desk.first, replayed=True)


def test_an_atomic_copy_that_is_judged_beside_the_first_gets_the_first_ones_answer(pond: World):
    receipt(pond.send(ANNA).results[0])
    hands = pond.services.campaigns.load("pond").settings.hands
    escorts = [{"kind": "escort", "boat": BERT["boat"], "other": ANNA["boat"]}] * hands
    sent = submission(*escorts, atomic=True)
    desk = Overtaken(pond, sent)

    answer = desk.submit(EAST, "pond", sent, KEY)

    assert answer == msgspec.structs.replace(desk.first or answer, replayed=True)
