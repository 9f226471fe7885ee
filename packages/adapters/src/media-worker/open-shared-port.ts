import { type OpenSharedSocket, openWebrtcPort, type WebrtcPort } from '@jackfield/media/io';
import { openDtls } from './dtls/open-dtls.ts';

/** Opens the port of WebRTC. Returns a sentence when DTLS does not work or the port is taken, because the rest of the platform needs neither. */
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
