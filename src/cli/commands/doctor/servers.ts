import { z } from 'zod';
import { remedy } from '../../remedy.ts';
import type { Surroundings } from '../../session.ts';

export async function api({ config, baseUrl }: Surroundings): Promise<string> {
  const answerAt = async (path: string, isFine = (_status: number) => false): Promise<number> => {
    const response = await ask(`${baseUrl}${path}`, remedy(config, 'BASE_URL'));
    if (!response.ok && !isFine(response.status))
      throw new Error(
        `${baseUrl}${path} answers ${response.status}: ${whatLacks(await response.text())}`,
      );
    return response.status;
  };
  await answerAt('/healthz');
  // The proxy in front refuses it (docs/deployment.md).
  const ready = await answerAt('/readyz', (status) => status < 500);
  return ready < 400
    ? `${baseUrl} is ready`
    : `${baseUrl} answers, and keeps /readyz from outside, as it should`;
}

/** Of a process that is not ready, what it lacks; of anything else, all that was answered. */
function whatLacks(answer: string): string {
  try {
    const { checks } = NOT_READY.parse(JSON.parse(answer));
    const missing = checks.filter(({ ok, required }) => required && !ok);
    return missing.map(({ name, detail }) => `${name}: ${detail}`).join(' ') || answer;
  } catch {
    return answer;
  }
}

const NOT_READY = z.object({
  checks: z.array(
    z.object({ name: z.string(), ok: z.boolean(), required: z.boolean(), detail: z.string() }),
  ),
});

export async function gateway({ run, config }: Surroundings): Promise<string> {
  const url = config.WHATSAPP_API_URL ?? run?.simulatorUrl;
  const todo = remedy(config, 'WHATSAPP_API_URL');
  if (!url) throw new Error(`No WhatsApp address is known. ${todo}`);
  const response = await ask(url, todo);
  return `${url} answers (${response.status})`;
}

/** Throws with the reason, which fetch hides in its cause, and with what to do about it. */
async function ask(url: string, todo: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(5_000) });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    throw new Error(`${url} does not answer: ${cause?.code ?? message}. ${todo}`);
  }
}
