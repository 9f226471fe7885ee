/** The flag of a version that may be missing (glibc, elf.h). */
const VER_FLG_WEAK = 2;
const symbolBytes = 24;
const prefix = '__isoc23_';

interface Section {
  readonly offset: number;
  readonly size: number;
}

/**
 * agent-transport 0.1.9 for Linux needs one symbol of glibc 2.38, `__isoc23_sscanf`; Debian 12 has 2.36. This returns a copy of its binary that
 * takes `sscanf` of the oldest version instead. The two differ in binary constants of C23 alone.
 */
export function forOlderGlibc(binary: Uint8Array): Buffer {
  const file = Buffer.from(binary);
  const [symbols, names, versions, needed] = ['.dynsym', '.dynstr', '.gnu.version', '.gnu.version_r'].map(
    (name) => sectionOf(file, name),
  ) as [Section, Section, Section, Section];
  const nameAt = (index: number): string => textAt(file, names.offset + index);
  let oldest = 0;
  // A file of Verneed entries, each with its Vernaux entries.
  for (let at = needed.offset, next = -1; next !== 0; at += next) {
    next = file.readUInt32LE(at + 12);
    let aux = at + file.readUInt32LE(at + 8);
    for (let n = file.readUInt16LE(at + 2); n > 0; n--, aux += file.readUInt32LE(aux + 12)) {
      const version = nameAt(file.readUInt32LE(aux + 8));
      if (version === 'GLIBC_2.2.5' && nameAt(file.readUInt32LE(at + 4)) === 'libc.so.6')
        oldest = file.readUInt16LE(aux + 6);
      if (version === 'GLIBC_2.38') file.writeUInt16LE(file.readUInt16LE(aux + 4) | VER_FLG_WEAK, aux + 4);
    }
  }
  for (let n = 0; n < symbols.size / symbolBytes; n++) {
    const at = symbols.offset + n * symbolBytes;
    const name = file.readUInt32LE(at);
    if (nameAt(name) !== `${prefix}sscanf`) continue;
    file.writeUInt32LE(name + prefix.length, at);
    file.writeUInt16LE(oldest, versions.offset + 2 * n);
  }
  return file;
}

/** A section of a 64-bit ELF file, little-endian. */
function sectionOf(file: Buffer, title: string): Section {
  const table = Number(file.readBigUInt64LE(0x28));
  const entryBytes = file.readUInt16LE(0x3a);
  const read = (index: number) => {
    const at = table + index * entryBytes;
    const [offset, size] = [Number(file.readBigUInt64LE(at + 0x18)), Number(file.readBigUInt64LE(at + 0x20))];
    return { name: file.readUInt32LE(at), offset, size };
  };
  const names = read(file.readUInt16LE(0x3e));
  for (let index = 0; index < file.readUInt16LE(0x3c); index++) {
    const section = read(index);
    if (textAt(file, names.offset + section.name) === title) return section;
  }
  throw new Error(`the file has no section ${title}`);
}

function textAt(file: Buffer, at: number): string {
  return file.toString('latin1', at, file.indexOf(0, at));
}
