import { connect } from 'node:net'

/** A minimal XMPP stream that sends and receives messages. */
export interface Stream {
  /** Sends a stanza; resolves when the server has acknowledged it (XEP-0198). */
  say(stanza: string): Promise<void>
  /** Sends stanzas whose acknowledgement nobody waits for. */
  tell(...stanzas: string[]): void
  /** Called with the id of each received message. */
  onMessage: ((id: string) => void) | undefined
  close(): void
}

/** What a stream does beside sending. */
export interface Ways {
  /** Receives what is sent to its user. */
  isOnline?: boolean
  /** The server acknowledges what it sends. */
  isAcknowledged?: boolean
}

const ANSWER_MS = 15_000
const REQUEST = "<r xmlns='urn:xmpp:sm:3'/>"

/** Signs in, binds a resource, then sends presence and enables acknowledgements, as asked. Rejects on refusal. */
export async function openStream(
  port: number,
  host: string,
  username: string,
  password: string,
  { isOnline = false, isAcknowledged = false }: Ways,
): Promise<Stream> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const waiting: { upTo: number; resolve: () => void; reject: (error: Error) => void }[] = []
  let text = ''
  let sent = 0
  /** Nothing but messages comes once acknowledgements are enabled. */
  let received = 0
  let arrived: () => void = () => undefined
  let broken: Error | undefined
  const stream: Stream = {
    onMessage: undefined,
    say(stanza) {
      sent += 1
      const upTo = sent
      socket.write(stanza + REQUEST)
      return new Promise((resolve, reject) => waiting.push({ upTo, resolve, reject }))
    },
    tell(...stanzas) {
      sent += stanzas.length
      socket.write(stanzas.join(''))
    },
    close: () => socket.destroy(),
  }
  const fail = (error: Error) => {
    broken = error
    for (const each of waiting.splice(0)) each.reject(error)
    arrived()
  }
  socket.setEncoding('utf8')
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('The XMPP server closed the connection')))
  socket.on('data', (chunk) => {
    text += String(chunk)
    arrived()
  })

  /** Waits until the server has sent `words`, and drops the text up to there. */
  async function until(words: string | RegExp): Promise<void> {
    const deadline = Date.now() + ANSWER_MS
    for (;;) {
      const [found] = typeof words === 'string' ? [text.includes(words) ? words : undefined] : (words.exec(text) ?? [])
      if (found !== undefined) {
        text = text.slice(text.indexOf(found) + found.length)
        return
      }
      if (broken || Date.now() > deadline)
        throw broken ?? new Error(`No ${words} from the XMPP server, but ${text.slice(0, 300)}`)
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, 1000)
        arrived = () => {
          clearTimeout(late)
          resolve()
        }
      })
    }
  }

  const opening = `<stream:stream to='${host}' version='1.0' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>`
  try {
    socket.write(`<?xml version='1.0'?>${opening}`)
    await until('</stream:features>')
    const secret = Buffer.from(`\0${username}\0${password}`).toString('base64')
    socket.write(`<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>${secret}</auth>`)
    await until('<success')
    socket.write(opening)
    await until('</stream:features>')
    socket.write(`<iq type='set' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></iq>`)
    await until('</iq>')
    if (isOnline) {
      socket.write('<presence/>')
      await until(/<presence[^>]*>/)
    }
    if (isAcknowledged) {
      socket.write(`<enable xmlns='urn:xmpp:sm:3'/>`)
      await until(/<enabled[^>]*>/)
    }
  } catch (error) {
    socket.destroy()
    throw error
  }

  // From here on the stream carries acknowledgements, and messages with their ids.
  arrived = () => {
    let end = text.lastIndexOf('>') + 1
    const open = text.lastIndexOf('<message')
    // An incomplete message waits for its rest.
    if (open >= 0 && text.indexOf('</message>', open) < 0) end = open
    const whole = text.slice(0, end)
    text = text.slice(end)
    for (const [, id] of whole.matchAll(/<message [^>]*\bid='([^']+)'/g)) {
      received += 1
      if (id) stream.onMessage?.(id)
    }
    for (const [, h] of whole.matchAll(/<a [^>]*\bh='(\d+)'/g)) {
      while (waiting[0] && waiting[0].upTo <= Number(h)) waiting.shift()?.resolve()
    }
    if (whole.includes('<r ')) socket.write(`<a xmlns='urn:xmpp:sm:3' h='${received}'/>`)
  }
  arrived()
  return stream
}
