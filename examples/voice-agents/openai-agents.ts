import { RealtimeAgent, RealtimeSession } from '@openai/agents/realtime';
import { TwilioRealtimeTransportLayer } from '@openai/agents-extensions';
import type { WebSocket } from 'ws';

export interface Model {
  /** The realtime model; OpenAI's own when left out. */
  readonly url?: string;
  readonly apiKey: string;
}

/**
 * A voice agent of OpenAI's Agents SDK on a stream with `dialect="twilio"`: call it for every connection of your WebSocket server. The
 * session ends with the call.
 */
export async function talk(call: WebSocket, { url, apiKey }: Model): Promise<RealtimeSession> {
  const agent = new RealtimeAgent({
    name: 'Receptionist',
    instructions: 'You answer the telephone of a small company. Be brief.',
  });
  const transport = new TwilioRealtimeTransportLayer({ twilioWebSocket: call });
  // The layer names µ-law in a way that the session overwrites with its default, samples of 16 bits at 24 kHz.
  const format = { type: 'audio/pcmu' } as const;
  const session = new RealtimeSession(agent, {
    transport,
    tracingDisabled: true,
    config: { audio: { input: { format }, output: { format } } },
  });
  await session.connect({ apiKey, ...(url === undefined ? {} : { url }) });
  return session;
}
