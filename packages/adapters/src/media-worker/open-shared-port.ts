import { type OpenSharedSocket, openWebrtcPort, type WebrtcPort } from '@jackfield/media/io';
import { openDtls } from './dtls/open-dtls.ts';

/** The port of WebRTC; a sentence where DTLS does not work here or the port is taken: the rest of the platform needs neither. */
export async function openSharedPort(options: {
  readonly host: string;
  readonly port: number;
  readonly openSocket: OpenSharedSocket;
}): Promise<WebrtcPort | { readonly problem: string }> {
  const opened = await openDtls();
  if ('problem' in opened) return opened;
  try {
    return await openWebrtcPort({ ...options, dtls: opened.endpoint });
  } catch (error) {
    opened.endpoint.close();
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `UDP port ${options.port} cannot be bound: ${reason}` };
  }
}
