"""Calls of the avatar service."""

from __future__ import annotations

import asyncio
import json
import os
import random
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlsplit

import aiohttp

from livekit.agents import APIConnectOptions, NotGivenOr, utils

from .errors import AvatarException
from .log import logger

DEFAULT_API_URL = "http://127.0.0.1:8080"
# A launch repeats the image that it was sent.
MAX_ANSWER_BYTES = 16 * 1024 * 1024
# Longest wait that a `Retry-After` header can ask for.
MAX_RETRY_AFTER_S = 20.0
# A new service makes its first sample on request, within seconds.
SAMPLE_INTERVAL_S = 2.0
# A job is given seconds to shut down, and the avatar can also be removed from its room.
END_TIMEOUT_S = 3.0


class AvatarApi:
    """The account of an API secret, or of a scoped token, at an avatar service."""

    def __init__(
        self,
        *,
        api_url: NotGivenOr[str],
        api_secret: NotGivenOr[str],
        conn_options: APIConnectOptions,
    ) -> None:
        self._url = _address(api_url or os.getenv("AVATAR_API_URL") or DEFAULT_API_URL)
        secret = api_secret or os.getenv("AVATAR_API_SECRET") or os.getenv("AVATAR_API_KEY")
        self._secret = _header_value(secret)
        self._conn_options = conn_options
        timeout = os.getenv("AVATAR_API_TIMEOUT")
        self._timeout = _seconds(timeout) if timeout else conn_options.timeout
        self._own_http: aiohttp.ClientSession | None = None
        # False while the caller waits for the end of what it has given up.
        self.may_retry = True

    @property
    def is_scoped(self) -> bool:
        """Whether the credential is a token that is bound to an agent and a room."""
        return self._secret.count(".") == 2

    async def first_sample(self) -> str:
        """The agent id of the first sample avatar."""
        for retry in range(self._conn_options.max_retry + 1):
            if retry > 0:
                await asyncio.sleep(SAMPLE_INTERVAL_S)
            answer = await self._request("GET", "/v1/models/showcase")
            models = answer.get("models")
            if isinstance(models, list) and models and isinstance(models[0], dict):
                code = models[0].get("agent_code")
                if isinstance(code, str):
                    return code
        raise AvatarException(
            f"{self._url} lists no sample avatar yet. Give agent_id, or try again in a minute.",
            code="NOT_FOUND",
        )

    async def launch(self, fields: dict[str, Any]) -> str:
        """Starts an avatar in a room, and returns the id of its session.

        A repeated launch of the same avatar into the same room is the same session, so it may be
        retried whatever became of the first one.
        """
        answer = await self._request("POST", "/v1/runtime-tokens/request", fields)
        session_id = answer.get("session_id")
        if isinstance(session_id, str):
            return session_id
        raise self._unexpected("without a session_id")

    async def end(self, session_id: str) -> None:
        """Ends a session, which frees its slot at once. Not retried."""
        path = f"/v1/runtime-sessions/{quote(session_id, safe='')}/end"
        await self._attempt("POST", path, None, min(self._timeout, END_TIMEOUT_S))

    async def aclose(self) -> None:
        if self._own_http is not None:
            await self._own_http.close()
            self._own_http = None

    async def __aenter__(self) -> AvatarApi:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def _request(
        self, method: str, path: str, body: dict[str, str] | None = None
    ) -> dict[str, Any]:
        for retry in range(self._conn_options.max_retry + 1):
            try:
                return await self._attempt(method, path, body, self._timeout)
            except AvatarException as error:
                is_last = retry == self._conn_options.max_retry or not self.may_retry
                if is_last or not error.retryable:
                    raise
                logger.warning("%s; trying again", error.message)
                pause = self._conn_options._interval_for_retry(retry) * random.uniform(0.8, 1.2)
                await asyncio.sleep(max(pause, error.retry_after or 0.0))
        raise AssertionError("unreachable")

    async def _attempt(
        self, method: str, path: str, body: dict[str, str] | None, timeout: float
    ) -> dict[str, Any]:
        try:
            async with self._http().request(
                method,
                f"{self._url}{path}",
                json=body,
                headers={"api-secret": self._secret},
                timeout=aiohttp.ClientTimeout(total=timeout),
                # A redirect would carry the secret to another address.
                allow_redirects=False,
            ) as response:
                return self._answer(response, await _read(response))
        except asyncio.TimeoutError as error:
            raise AvatarException(
                f"{self._url} did not answer within {timeout:g} s", code="TIMEOUT", retryable=True
            ) from error
        except aiohttp.ClientError as error:
            raise AvatarException(
                f"{self._url} cannot be reached: {error}", code="UNREACHABLE", retryable=True
            ) from error

    def _answer(self, response: aiohttp.ClientResponse, text: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if response.ok and not 300 <= response.status < 400 and isinstance(answer, dict):
            if isinstance(notice := answer.get("plan_notice"), str):
                logger.warning("%s", notice)
            return answer
        error = answer.get("error") if isinstance(answer, dict) else None
        if not isinstance(error, dict):
            raise self._unexpected(_what_came(response), response)
        raise AvatarException(
            str(error.get("message") or response.reason),
            code=str(error.get("code") or "UNEXPECTED_ANSWER"),
            status_code=response.status,
            request_id=response.headers.get("X-Request-Id"),
            link=error.get("upgrade_url") or error.get("topup_url"),
            retry_after=_retry_after(response),
            retryable=_may_pass(response.status),
        )

    def _unexpected(
        self, what: str, response: aiohttp.ClientResponse | None = None
    ) -> AvatarException:
        return AvatarException(
            f"{self._url} answered {what}. Is it the address of the avatar service?",
            code="UNEXPECTED_ANSWER",
            status_code=response.status if response is not None else None,
            retry_after=_retry_after(response) if response is not None else None,
            retryable=response is not None and _may_pass(response.status),
        )

    def _http(self) -> aiohttp.ClientSession:
        try:
            return utils.http_context.http_session()
        except RuntimeError:
            # Outside a job.
            if self._own_http is None:
                self._own_http = aiohttp.ClientSession()
            return self._own_http


async def _read(response: aiohttp.ClientResponse) -> bytes:
    text = bytearray()
    async for chunk in response.content.iter_chunked(64 * 1024):
        text += chunk
        if len(text) > MAX_ANSWER_BYTES:
            response.close()
            break
    return bytes(text)


def _what_came(response: aiohttp.ClientResponse) -> str:
    if "Location" in response.headers:
        return f"{response.status} and refers to {response.headers['Location'][:200]}"
    kind = response.content_type.removeprefix("text/")
    return f"{response.status} with {kind} instead of JSON"


def _may_pass(status: int) -> bool:
    return status == 429 or status >= 500


def _retry_after(response: aiohttp.ClientResponse) -> float | None:
    try:
        return min(max(float(response.headers["Retry-After"]), 0.0), MAX_RETRY_AFTER_S)
    except (KeyError, ValueError):
        return None


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AvatarException(
            f"api_url must be an http or https address, but is {url!r}", code="BAD_ARGUMENT"
        )
    return url.rstrip("/")


def _header_value(secret: str | None) -> str:
    secret = (secret or "").strip()
    if not secret:
        raise AvatarException(
            "api_secret must be given to AvatarSession, or AVATAR_API_SECRET set in the environment",
            code="MISSING_AUTH",
        )
    if not (secret.isascii() and secret.isprintable()):
        raise AvatarException(
            "api_secret has characters that no API secret has", code="BAD_ARGUMENT"
        )
    return secret


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise AvatarException(
            f"AVATAR_API_TIMEOUT must be a number of seconds, but is {text!r}", code="BAD_ARGUMENT"
        )
    return seconds
