import base64
import binascii
import hashlib
import hmac
import re
import time

TOLERANCE_S = 5 * 60


def verify(secrets, headers, body, now=None):
    """Raises a ValueError that says why, unless the delivery is genuine and fresh.

    secrets: one secret (whsec_...), or a list of those that are valid during a rotation
    headers: any mapping of names to values
    body: the bytes as they arrived, before any parsing
    now: Unix seconds
    """
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    given = {name.lower(): value for name, value in headers.items()}
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not given.get(name):
            raise ValueError(f"The header {name} is missing.")
    timestamp = given["webhook-timestamp"]
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise ValueError("webhook-timestamp is not in Unix seconds.")
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_S:
        raise ValueError("webhook-timestamp is more than 5 minutes from the clock here.")
    if not isinstance(body, bytes):
        raise ValueError("The body must be the raw bytes, not a parsed one.")
    signed = f"{given['webhook-id']}.{timestamp}.".encode() + body
    expected = [_sign(key, signed) for key in keys]
    signatures = given["webhook-signature"].encode().split(b" ")
    # compare_digest takes the same time wherever two values differ.
    if not any(hmac.compare_digest(one, other) for one in expected for other in signatures):
        raise ValueError("No signature matches: another secret, or not the raw body.")


def _sign(key, signed):
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())


def _key(secret):
    try:
        prefix, key = secret[:6], base64.b64decode(secret[6:], validate=True)
    except (TypeError, binascii.Error, ValueError):
        prefix, key = "", b""
    if prefix != "whsec_" or len(key) < 24:
        raise ValueError("A secret is whsec_ and the base64 of its key.")
    return key
