import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { openWire, requestOf } from './wire.ts'

test('A wire asks again over a new connection where the server has closed the last one meanwhile', async () => {
  const server = createServer((_, response) => response.setHeader('content-length', 2).end('hi'))
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const connected = once(server, 'connection')
  const wire = await openWire(typeof address === 'object' && address ? address.port : 0)
  onTestFinished(wire.close)
  const asked = () => wire.ask(requestOf('GET', '/', '')).then(({ status }) => status)
  expect(await asked()).toBe(200)

  const [socket] = await connected
  const closed = once(socket, 'close')
  server.closeIdleConnections()
  await closed
  expect(await Promise.all([asked(), asked()])).toEqual([200, 200])
})
