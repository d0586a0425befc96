import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

// The floor of the sockets figure: a ws server with default settings, without compression, sessions or presence.
const http = createServer()
new WebSocketServer({ server: http, perMessageDeflate: false })
http.listen(0, '127.0.0.1', () => {
  const address = http.address()
  console.log(`ready at http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
})
process.once('SIGTERM', () => process.exit(0))
