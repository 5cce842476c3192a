"""Routes that answer at once what FastAPI has nothing left to read of.

FastAPI asks a general solver what a function wants of a request, each time anew. For an order sent alone that is a
large part of what the API does.
"""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from api.calls import read_call


class DirectRoute(APIRoute):
    """A route whose function takes a `Calling`, names of its path as texts, and parameters of the query that may all be
    left out. A request without a query goes straight to it, in a thread; one with a query goes FastAPI's way.

    Raises TypeError where a function is put behind it that wants more.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request (FastAPI's own hook)."""
        self._check()
        solved = super().get_route_handler()
        function: Callable[..., Response] = self.endpoint

        async def handle(request: Request) -> Response:
            if request.scope["query_string"]:
                return await solved(request)
            call = await read_call(request)
            return await run_in_threadpool(function, call, **request.path_params)

        return handle

    def _check(self) -> None:
        wants = self.dependant
        others = [*wants.header_params, *wants.cookie_params, *wants.body_params]
        others += [field for field in wants.query_params if field.field_info.is_required()]
        others += [field for field in wants.path_params if field.field_info.annotation is not str]
        if others or [one.call for one in wants.dependencies] != [read_call]:
            raise TypeError(f"{self.endpoint.__name__} wants more of a request than a direct route gives")
