import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type Address, ATTRIBUTE, type Attribute, KIND, METHOD, type StunMessage, writeAddress, writeStun } from './stun.ts'

export const HERE = '127.0.0.1'
const PERMISSION_MS = 5 * 60_000
/** RFC 8656 section 12. */
const CHANNELS = { from: 0x4000, to: 0x4fff }

/** What an answer carries, or the code of a failure. */
export type Outcome = Attribute[] | 400 | 401 | 403 | 437 | 438 | 441 | 442 | 486 | 508

export interface Allocation {
  username: string
  key: Buffer
  transactionId: Buffer
  port: number
  permit(message: StunMessage): Outcome
  bindChannel(message: StunMessage): Outcome
  /** Ends so much later; at once by 0. */
  renew(seconds: number): void
  passIndication(message: StunMessage): void
  passChannel(bytes: Buffer): void
}

interface Given {
  socket: Socket
  owner: Pick<Allocation, 'username' | 'key' | 'transactionId'>
  toClient: (bytes: Buffer) => void
  onEnd: () => void
}

export function openAllocation({ socket, owner, toClient, onEnd }: Given): Allocation {
  let permittedUntil = 0
  let timer: NodeJS.Timeout | undefined
  const channels = new Map<number, number>()
  const isPermitted = () => permittedUntil > Date.now()

  socket.on('message', (bytes, from) => {
    if (!isHere(from) || !isPermitted()) return
    const [channel] = [...channels].find(([, port]) => port === from.port) ?? []
    toClient(channel === undefined ? indicationOf(from, bytes) : channelData(channel, bytes))
  })

  return {
    ...owner,
    port: socket.address().port,
    permit({ peers }) {
      if (peers.length === 0) return 400
      if (!peers.every(isHere)) return 403
      permittedUntil = Date.now() + PERMISSION_MS
      return []
    },
    bindChannel({ peers: [peer], attributes }) {
      const given = attributes.get(ATTRIBUTE.channel)
      const channel = given?.length === 4 ? given.readUInt16BE(0) : 0
      if (!peer || channel < CHANNELS.from || channel > CHANNELS.to) return 400
      if (!isHere(peer)) return 403
      if ([...channels].some(([number, port]) => (number === channel) !== (port === peer.port))) return 400
      channels.set(channel, peer.port)
      permittedUntil = Date.now() + PERMISSION_MS
      return []
    },
    renew(seconds) {
      clearTimeout(timer)
      const end = () => {
        socket.close()
        onEnd()
      }
      if (seconds === 0) end()
      else timer = setTimeout(end, seconds * 1000).unref()
    },
    passIndication({ method, peers: [peer], attributes }) {
      const data = attributes.get(ATTRIBUTE.data)
      if (method === METHOD.send && peer && data && isHere(peer) && isPermitted()) sendTo(socket, data, peer)
    },
    passChannel(bytes) {
      const [port, size] = [channels.get(bytes.readUInt16BE(0)), bytes.readUInt16BE(2)]
      if (port !== undefined && isPermitted() && 4 + size <= bytes.length)
        sendTo(socket, bytes.subarray(4, 4 + size), { address: HERE, port })
    },
  }
}

/** Opens a port of 127.0.0.1 that keeps no process alive. Rejects where there is none. */
export async function openPort(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, HERE).unref()
  await once(socket, 'listening')
  // Such a packet is lost, as on any network.
  socket.on('error', () => undefined)
  return socket
}

export function sendTo(socket: Socket, bytes: Buffer, { address, port }: Address): void {
  // Node throws for it, which would end the process.
  if (port !== 0) socket.send(bytes, port, address, () => undefined)
}

export const isChannelData = (bytes: Buffer): boolean => bytes.length >= 4 && (bytes[0] ?? 0) >> 4 === 4

const isHere = ({ address }: Address): boolean => address === HERE

function channelData(channel: number, bytes: Buffer): Buffer {
  const head = Buffer.alloc(4)
  head.writeUInt16BE(channel, 0)
  head.writeUInt16BE(bytes.length, 2)
  return Buffer.concat([head, bytes])
}

function indicationOf(from: Address, bytes: Buffer): Buffer {
  const attributes: Attribute[] = [
    [ATTRIBUTE.peer, writeAddress(from)],
    [ATTRIBUTE.data, bytes],
  ]
  return writeStun({ method: METHOD.data, kind: KIND.indication, transactionId: randomBytes(12) }, attributes)
}
