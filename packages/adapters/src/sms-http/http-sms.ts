import type { Clock, Logger, Sms, SmsOrder, SmsOutcome, SmsReceipt } from '@jackfield/ports';
import { fillTemplate, type TemplateEncoding } from './fill-template.ts';
import { parseJson } from './parse-json.ts';
import { type ReceiptRequest, type ReceiptRules, readReceiptRequest } from './receipt-request.ts';

/**
 * The operator's gateway: it is trusted, so its address passes no egress guard. `{{id}}`, `{{from}}`, `{{to}}`, `{{digits}}` (to without
 * +), `{{text}}` and `{{seconds}}` (of validity) are filled in, escaped for their context.
 */
export interface HttpSmsOptions {
  /** Distinguishes the messages of different gateways. */
  readonly name: string;
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of a POST or PUT. */
  readonly body?: string;
  /** How values are escaped in the body; follows its Content-Type by default. */
  readonly bodyEncoding?: TemplateEncoding;
  /** Path of the gateway's message name in the JSON answer, for example `messages.0.id`; the whole answer as text when empty. */
  readonly messagePath: string;
  /** From the first octet sent to the last one read. */
  readonly timeoutMs?: number;
  /** Attempts when the gateway is slow, busy (429) or broken (5xx); each retry waits `retryMs`, doubled each time. */
  readonly attempts?: number;
  readonly retryMs?: number;
  readonly receipts?: ReceiptRules;
}

export interface HttpSms extends Sms {
  /** Handles a request to the webhook; returns the status of its response. */
  takeReceipt(request: ReceiptRequest): 204 | 400 | 403;
}

/** The bytes of an answer that are read; longer ones have no relevant content beyond them. */
const maxAnswerBytes = 65_536;

/** SMS through a gateway with its own HTTP interface: a request from a template, and a webhook for receipts. */
export function createHttpSms(options: HttpSmsOptions, deps: { clock: Clock; log: Logger }): HttpSms {
  const { name, messagePath, timeoutMs = 10_000, attempts = 3, retryMs = 500 } = options;
  let report: ((receipt: SmsReceipt) => void) | undefined;

  async function attempt(order: SmsOrder): Promise<SmsOutcome & { readonly isAgain?: boolean }> {
    const { url, init } = requestOf(options, order, deps.clock.now());
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      // Not followed: a redirect leads to another gateway than the operator has named.
      const answer = await fetch(url, { ...init, redirect: 'manual', signal });
      const text = await readAnswer(answer);
      if (!answer.ok) {
        const { status } = answer;
        const isAgain = status === 429 || status >= 500;
        // 503 is a refusal; another 5xx may come from a proxy in front of a gateway that has accepted the message.
        return {
          accepted: false,
          errorCode: `http-${status}`,
          isAgain,
          mayHaveGone: status >= 500 && status !== 503,
        };
      }
      const message = valueAt(text, messagePath);
      if (message === undefined) {
        deps.log.error({ gateway: name, path: messagePath }, 'gateway answer has no message name');
        return { accepted: false, errorCode: 'answer-not-understood', mayHaveGone: true };
      }
      return { accepted: true, message: `${name}:${message}` };
    } catch (err) {
      const isLate = err instanceof Error && err.name === 'TimeoutError';
      const errorCode = isLate ? 'timeout' : 'unreachable';
      return { accepted: false, errorCode, isAgain: true, mayHaveGone: !neverConnected(err) };
    }
  }

  return {
    async send(order) {
      let mayHaveGone = false;
      for (let made = 1; ; made++) {
        const { isAgain, ...outcome } = await attempt(order);
        if (outcome.accepted) return outcome;
        mayHaveGone ||= outcome.mayHaveGone === true;
        const { errorCode } = outcome;
        const pause = retryMs * 2 ** (made - 1);
        if (isAgain !== true) return { accepted: false, errorCode, ...(mayHaveGone && { mayHaveGone }) };
        if (made === attempts || deps.clock.now() + pause >= order.validUntil)
          return { accepted: false, errorCode, gatewayFailed: true, ...(mayHaveGone && { mayHaveGone }) };
        deps.log.warn({ gateway: name, order: order.id, outcome }, 'gateway request retried');
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    },
    listen(listener) {
      report = listener;
    },
    takeReceipt(request) {
      if (options.receipts === undefined) return 403;
      const read = readReceiptRequest(options.receipts, request);
      if (typeof read === 'number') return read;
      // A state that is not final is valid, and not reported.
      if (read !== undefined) report?.({ ...read, message: `${name}:${read.message}` });
      return 204;
    },
  };
}

function requestOf(
  options: HttpSmsOptions,
  order: SmsOrder,
  now: number,
): { url: string; init: RequestInit } {
  const { id, from, to, text, validUntil } = order;
  const seconds = String(Math.max(1, Math.round((validUntil - now) / 1000)));
  const values = { id, from: from ?? '', to, digits: to.replace(/^\+/, ''), text, seconds };
  const { method = 'POST', body, headers = {} } = options;
  const type = new Headers(headers).get('content-type') ?? '';
  const encoding =
    options.bodyEncoding ?? (type.includes('json') ? 'json' : type.includes('form') ? 'url' : 'plain');
  return {
    url: fillTemplate(options.url, values, 'url'),
    init: {
      method,
      headers: { ...headers },
      ...(body === undefined || method === 'GET' ? {} : { body: fillTemplate(body, values, encoding) }),
    },
  };
}

/** Node's fetch wraps the socket's error. */
function neverConnected(error: unknown): boolean {
  const { code } = ((error as { cause?: unknown }).cause ?? {}) as { code?: unknown };
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(
    String(code),
  );
}

async function readAnswer(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A text or number at a path of names and indexes; the whole text for an empty path. */
function valueAt(text: string, path: string): string | undefined {
  if (path === '') return text.trim() === '' ? undefined : text.trim().slice(0, 200);
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : undefined;
}
