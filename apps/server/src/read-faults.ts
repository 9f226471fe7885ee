/** Why a file could not be read: what follows its path in a sentence. */
export function whyUnread(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist';
    case 'EISDIR':
      return 'is a directory, not a file';
    case 'EACCES':
    case 'EPERM':
      return 'cannot be read: this user may not read it';
    case 'ELOOP':
      return 'cannot be read: it is a symbolic link that leads to itself';
    case 'ENAMETOOLONG':
      return 'cannot be read: its name is too long for the file system';
    default:
      return `cannot be read (${message})`;
  }
}
