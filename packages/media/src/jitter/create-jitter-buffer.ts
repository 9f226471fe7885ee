import { AdaptiveJitterBuffer } from './adaptive-jitter-buffer.ts';
import type { JitterBuffer, JitterBufferOptions } from './jitter-buffer.ts';

/**
 * Creates the jitter buffer of one received stream; nothing is allocated after this.
 *
 *   put ──► continuity ──► ring of payloads ──► decode ──► pcm ──► time-scale ──► take
 *                │                                ▲                    ▲     ▲
 *                └──► delay estimator ──► delay plan ──────────────────┘     └── concealment
 */
export function createJitterBuffer(options: JitterBufferOptions): JitterBuffer {
  return new AdaptiveJitterBuffer(options);
}
