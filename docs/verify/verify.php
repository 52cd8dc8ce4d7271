<?php
declare(strict_types=1);

namespace Webhooks;

const TOLERANCE_S = 5 * 60;

/**
 * Throws a RuntimeException that says why, unless the delivery is genuine and fresh.
 *
 * @param string|string[] $secrets one secret (whsec_...), or those that are valid during a rotation
 * @param array<string, string> $headers as getallheaders() answers them
 * @param string $body the bytes as they arrived, before any parsing: file_get_contents('php://input')
 * @param ?int $now Unix seconds
 */
function verify(string|array $secrets, array $headers, string $body, ?int $now = null): void
{
    $keys = array_map(key(...), (array) $secrets);
    $given = array_change_key_case($headers);
    foreach (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as $name) {
        if (($given[$name] ?? '') === '') {
            throw new \RuntimeException("The header $name is missing.");
        }
    }
    $timestamp = $given['webhook-timestamp'];
    if (!preg_match('/^[0-9]{1,12}$/D', $timestamp)) {
        throw new \RuntimeException('webhook-timestamp is not in Unix seconds.');
    }
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_S) {
        throw new \RuntimeException('webhook-timestamp is more than 5 minutes from the clock here.');
    }
    $signed = "{$given['webhook-id']}.$timestamp.$body";
    foreach ($keys as $key) {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
        foreach (explode(' ', $given['webhook-signature']) as $signature) {
            // In constant time.
            if (hash_equals($expected, $signature)) {
                return;
            }
        }
    }
    throw new \RuntimeException('No signature matches: another secret, or not the raw body.');
}

function key(string $secret): string
{
    preg_match('~^whsec_([A-Za-z0-9+/]+={0,2})$~D', $secret, $found);
    $key = base64_decode($found[1] ?? '', true);
    if ($key === false || strlen($key) < 24) {
        throw new \RuntimeException('A secret is whsec_ and the base64 of its key.');
    }
    return $key;
}
