/** The options of an SDK client. */
interface ClientConfig {
  readonly url: string;
  readonly authId: string;
  readonly timeout?: number;
}

type Params = Readonly<Record<string, unknown>>;

/** One request of the SDK; `action` is the path below the client's URL. */
export type Request = (method: string, action: string, params?: Params) => Promise<unknown>;

/** The SDK's function that makes the requests of one client. */
export type CreateRequest = (config: ClientConfig) => Request;

/** The SDK's timeout of a voice request when the client has none, in ms. */
const voiceTimeoutMs = 5000;

const hosted = /(^|\.)plivo\.com$/;

/**
 * Creates clients whose requests all go to one server. The SDK has three hosts that no option changes; parameters name
 * them: `is_voice_request` (calls, conferences, applications, …), `call_insights_base_url` and `override_url`. This
 * function replaces all three, so that a client's credentials reach its own server only.
 */
export function requestsTo(base: string, create: CreateRequest): CreateRequest {
  return (config) => {
    const url = moved(config.url, base);
    const server = url.replace(/\/v1(\/.*)?$/, '');
    const request = create({ ...config, url });
    const voiceRequest = create({ ...config, url, timeout: config.timeout ?? voiceTimeoutMs });
    return (method, action, params) => {
      if (params === undefined) return request(method, action);
      const { is_voice_request: isVoice, ...own } = params;
      if (isVoice !== undefined) return voiceRequest(method, action, own);
      return request(method, action, movedParams(own, server));
    };
  };
}

function movedParams(params: Params, server: string): Params {
  const { override_url: override, call_insights_base_url: insights } = params;
  return {
    ...params,
    ...(typeof override === 'string' ? { override_url: moved(override, server) } : {}),
    ...(typeof insights === 'string' ? { call_insights_base_url: moved(insights, server) } : {}),
  };
}

/** The same path at the server, for a URL of the hosted service. */
function moved(url: string, server: string): string {
  const { hostname, pathname, search } = new URL(url);
  return hosted.test(hostname) ? `${server}${pathname}${search}` : url;
}
