import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import type { RelayCredentials } from '../ground/relay/credentials.ts'
import {
  type Address,
  ATTRIBUTE,
  type Attribute,
  addressOf,
  KIND,
  longTermKey,
  METHOD,
  readStun,
  type StunMessage,
  writeAddress,
  writeStun,
} from '../ground/relay/stun.ts'

const UDP = Buffer.from([17, 0, 0, 0])
const AGAIN_MS = 500

export interface TurnAnswer {
  /** 0 for a success. */
  code: number
  message: StunMessage
}

/** A client of a relay on this machine, by UDP. It ends with the test. */
export async function turnClient(relayPort: number, { username, credential }: RelayCredentials) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  const heard: Buffer[] = []
  socket.on('message', (bytes) => heard.push(bytes))
  let signing: { key: Buffer; attributes: Attribute[] } | undefined

  async function asks(method: number, attributes: Attribute[] = [], { isSigned = true } = {}): Promise<TurnAnswer> {
    const transactionId = randomBytes(12)
    const more = isSigned && signing ? [...attributes, ...signing.attributes] : attributes
    const request = writeStun({ method, kind: KIND.request, transactionId }, more, isSigned ? signing?.key : undefined)
    const says = () => socket.send(request, relayPort, '127.0.0.1')
    // Neither a packet nor its answer is sure to arrive.
    const timer = setInterval(says, AGAIN_MS)
    says()
    try {
      for (;;) {
        const message = heard.map(readStun).find((each) => each?.transactionId.equals(transactionId))
        if (message) return { code: codeOf(message), message }
        await once(socket, 'message')
      }
    } finally {
      clearInterval(timer)
    }
  }

  return {
    asks,
    /** Learns realm and nonce, as each client does, and asks for a port. */
    async allocates(more: Attribute[] = []): Promise<TurnAnswer & { relayed: Address | undefined }> {
      const first = await asks(METHOD.allocate, [[ATTRIBUTE.transport, UDP]], { isSigned: false })
      const [realm, nonce] = [ATTRIBUTE.realm, ATTRIBUTE.nonce].map((type) => first.message.attributes.get(type))
      if (first.code !== 401 || !realm || !nonce) throw new Error(`The relay asked for no name: ${first.code}`)
      const named: Attribute[] = [
        [ATTRIBUTE.username, Buffer.from(username)],
        [ATTRIBUTE.realm, realm],
        [ATTRIBUTE.nonce, nonce],
      ]
      signing = { key: longTermKey(username, realm.toString(), credential), attributes: named }
      const answer = await asks(METHOD.allocate, [[ATTRIBUTE.transport, UDP], ...more])
      const [relayed] = addressOf(answer.message.attributes.get(ATTRIBUTE.relayed) ?? Buffer.alloc(0))
      return { ...answer, relayed }
    },
    permits: (address: string) => asks(METHOD.permit, [[ATTRIBUTE.peer, writeAddress({ address, port: 9 })]]),
    sends(text: string, peer: Address): void {
      const attributes: Attribute[] = [
        [ATTRIBUTE.peer, writeAddress(peer)],
        [ATTRIBUTE.data, Buffer.from(text)],
      ]
      const indication = writeStun({ method: METHOD.send, kind: KIND.indication, transactionId: randomBytes(12) }, attributes)
      socket.send(indication, relayPort, '127.0.0.1')
    },
    sendsRaw: (bytes: Buffer) => socket.send(bytes, relayPort, '127.0.0.1'),
    /** What came through the relay, as text. */
    texts: (): string[] =>
      heard.flatMap((bytes) => {
        if ((bytes[0] ?? 0) >> 4 === 4) return [bytes.subarray(4, 4 + bytes.readUInt16BE(2)).toString()]
        const message = readStun(bytes)
        return message?.kind === KIND.indication ? [message.attributes.get(ATTRIBUTE.data)?.toString() ?? ''] : []
      }),
  }
}

function codeOf({ kind, attributes }: StunMessage): number {
  const failure = attributes.get(ATTRIBUTE.failure)
  return kind === KIND.success ? 0 : (failure?.[2] ?? 0) * 100 + (failure?.[3] ?? 0)
}
