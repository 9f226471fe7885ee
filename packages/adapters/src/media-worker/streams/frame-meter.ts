/** What may pass between two refills. */
export interface FrameAllowance {
  readonly frames: number;
  readonly bytes: number;
}

/**
 * Follows the frames in the bytes of a connection (RFC 6455 §5.2) and limits them. Fragments and control frames count like messages: ws
 * reports no fragments, and it reads all that it was given without a pause.
 */
export class FrameMeter {
  readonly #most: FrameAllowance;
  #framesLeft: number;
  #bytesLeft: number;
  /** Bytes of the header that were read; 0 between two frames and in a payload. */
  #headerBytes = 0;
  #lengthBytes = 0;
  #length = 0;
  #payloadLeft = 0;

  constructor(most: FrameAllowance) {
    this.#most = most;
    this.#framesLeft = most.frames;
    this.#bytesLeft = most.bytes;
  }

  refill(): void {
    this.#framesLeft = this.#most.frames;
    this.#bytesLeft = this.#most.bytes;
  }

  /** How many of these bytes pass; the meter expects the others again, after a refill. */
  pass(bytes: Uint8Array): number {
    const end = Math.min(bytes.length, this.#bytesLeft);
    let at = 0;
    while (at < end) {
      if (this.#payloadLeft > 0) {
        const passed = Math.min(this.#payloadLeft, end - at);
        this.#payloadLeft -= passed;
        at += passed;
      } else {
        if (this.#headerBytes === 0) {
          if (this.#framesLeft === 0) break;
          this.#framesLeft--;
        }
        this.#readHeader(bytes[at++]!);
      }
    }
    this.#bytesLeft -= at;
    return at;
  }

  /** A header has no mask: ws ends a connection whose server masks its frames (RFC 6455 §5.1). */
  #readHeader(byte: number): void {
    this.#headerBytes++;
    if (this.#headerBytes === 1) return;
    if (this.#headerBytes === 2) {
      const length = byte & 0x7f;
      this.#lengthBytes = length === 126 ? 2 : length === 127 ? 8 : 0;
      this.#length = this.#lengthBytes === 0 ? length : 0;
    } else {
      this.#length = 256 * this.#length + byte;
      this.#lengthBytes--;
    }
    if (this.#lengthBytes > 0) return;
    this.#payloadLeft = this.#length;
    this.#headerBytes = 0;
  }
}
