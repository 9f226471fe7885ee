/** Node 22 runs TypeScript too, but the server needs Node 24: refuses an older version before anything starts. */
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `Jackfield needs Node.js 24, not ${process.version}: start it with npx jackfield or node apps/server/bin/jackfield.js, which use the Node.js that npm ci installs.\n`,
  );
  process.exit(1);
}
