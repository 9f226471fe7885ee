/** Node 22 reads TypeScript too, yet the server needs Node 24: the launcher takes over, and nothing of this process runs on. */
if (Number(process.versions.node.split('.')[0]) < 24) {
  await import('../bin/jackfield.js');
  await new Promise(() => {});
}
