import { connect, createServer } from 'node:net'

// Runs in a network of `e2e/networks.ts`: what comes to this port of localhost goes into the socket at this path, until stdin closes.
const [port, path = ''] = process.argv.slice(2)

createServer((from) => {
  const to = connect(path)
  from.pipe(to).pipe(from)
  from.on('error', () => to.destroy())
  to.on('error', () => from.destroy())
}).listen(Number(port), '127.0.0.1')
process.stdin.resume().once('end', () => process.exit(0))
