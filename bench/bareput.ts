import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'

// The floor of the uploads figure: each body goes to a file of the folder that is named, and is answered when it is flushed.
const [folder = ''] = process.argv.slice(2)
const http = createServer(async (request, response) => {
  await pipeline(request, createWriteStream(path.join(folder, randomUUID()), { flush: true }))
  response.end('{}')
})
http.listen(0, '127.0.0.1', () => {
  const address = http.address()
  console.log(`ready at http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
})
process.once('SIGTERM', () => process.exit(0))
