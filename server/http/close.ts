import type { FastifyInstance } from 'fastify'

/** An answer that is given while the server closes is its connection's last: a browser would keep it, and the server with it. */
export function endConnections(http: FastifyInstance): void {
  let isClosing = false
  http.addHook('preClose', async () => {
    isClosing = true
  })
  http.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
}
