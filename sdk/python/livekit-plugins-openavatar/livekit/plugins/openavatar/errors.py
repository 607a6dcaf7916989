from __future__ import annotations

from livekit.agents import APIError


class AvatarException(APIError):
    """The avatar could not be started.

    ``code`` and ``status_code`` are those of the service's answer, for example
    ``UNAUTHORIZED`` and 401. Where it gave none, ``status_code`` is None and ``code`` is one of
    ``BAD_ARGUMENT``, ``BAD_STATE``, ``UNREACHABLE``, ``TIMEOUT`` and ``UNEXPECTED_ANSWER``.
    ``link`` leads to the page where a refusal over plan or credit is settled.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status_code: int | None = None,
        request_id: str | None = None,
        link: str | None = None,
        retry_after: float | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message, retryable=retryable)
        self.code = code
        self.status_code = status_code
        self.request_id = request_id
        self.link = link
        self.retry_after = retry_after

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.message!r}, code={self.code!r}, "
            f"status_code={self.status_code!r}, request_id={self.request_id!r})"
        )
