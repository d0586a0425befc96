import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

export interface SmtpServer {
  /** What SMTP_URL names. */
  url: string
  /** The mails that it has taken: the recipients of the envelope, and the lines. */
  mails: { to: string[]; lines: string[] }[]
  /** How it answers recipients from now on: takes them, refuses them, or hangs up. */
  mood: 'takes' | 'refuses' | 'hangs up'
  stop(): Promise<void>
}

/** A mail server on loopback with as much of RFC 5321 as one sender needs. */
export async function startSmtp(): Promise<SmtpServer> {
  const sockets = new Set<Socket>()
  const smtp: SmtpServer = { url: '', mails: [], mood: 'takes', stop: async () => undefined }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A sender that hangs up amid a line is of no interest.
    socket.on('error', () => socket.destroy())
    converse(socket, smtp)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  smtp.url = `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  smtp.stop = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return smtp
}

function converse(socket: Socket, smtp: SmtpServer): void {
  const says = (line: string) => socket.write(`${line}\r\n`)
  let to: string[] = []
  let lines: string[] | undefined
  says('220 loopback')
  createInterface({ input: socket }).on('line', (line) => {
    if (lines) {
      if (line !== '.') return lines.push(line)
      smtp.mails.push({ to, lines })
      lines = undefined
      to = []
      return says('250 taken')
    }
    const [, recipient] = /^RCPT TO:<(.*)>/.exec(line) ?? []
    if (recipient !== undefined) {
      if (smtp.mood === 'hangs up') return socket.destroy()
      if (smtp.mood === 'refuses') return says('550 no such mailbox')
      to.push(recipient)
      return says('250 ok')
    }
    if (line === 'DATA') {
      lines = []
      return says('354 go on')
    }
    return says(line === 'QUIT' ? '221 bye' : '250 ok')
  })
}
