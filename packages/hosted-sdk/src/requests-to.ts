/** What a client of the SDK is created with. */
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

/** Of a voice request without a timeout of the client: the SDK's own value, in ms. */
const voiceTimeoutMs = 5000;

const hosted = /(^|\.)plivo\.com$/;

/**
 * Makes clients whose requests all go to one server. The SDK has three hosts that no option changes; parameters of its own name them:
 * `is_voice_request` (calls, conferences, applications, …), `call_insights_base_url` and `override_url`. What goes to a Jackfield has none
 * of the hosted ones, so that the credentials of a client leave for its own server alone.
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

/** The same path at the server where the URL is one of the hosted service. */
function moved(url: string, server: string): string {
  const { hostname, pathname, search } = new URL(url);
  return hosted.test(hostname) ? `${server}${pathname}${search}` : url;
}
