import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type Allocation, HERE, isChannelData, type Outcome, openAllocation, openPort, sendTo } from './allocation.ts'
import { credentialOf, isUnexpired } from './credentials.ts'
import {
  type Address,
  ATTRIBUTE,
  type Attribute,
  KIND,
  longTermKey,
  METHOD,
  number32,
  readStun,
  type StunMessage,
  writeAddress,
  writeStun,
} from './stun.ts'

const REALM = 'conclave.localhost'
const UDP = 17
const DEFAULT_SECONDS = 600
const MAX_SECONDS = 3600
const ALLOCATIONS_MAX = 200
const ALLOCATIONS_PER_NAME = 12

export interface LocalRelay {
  port: number
  stop(): Promise<void>
}

interface Options {
  secret: string
  clock: () => Date
}

/**
 * Starts a relay for calls between browsers of this machine: TURN over UDP (RFC 8656), on 127.0.0.1 and to 127.0.0.1 only. It keeps no
 * process alive. Rejects where it cannot listen.
 */
export async function startLocalRelay({ secret, clock }: Options): Promise<LocalRelay> {
  const nonce = randomBytes(16).toString('hex')
  const allocations = new Map<string, Allocation>()
  const door = await openPort()

  door.on('message', (bytes, { address, port }) => {
    const client = { address, port }
    const mine = allocations.get(nameOf(client))
    if (isChannelData(bytes)) mine?.passChannel(bytes)
    const message = readStun(bytes)
    if (message?.kind === KIND.indication) mine?.passIndication(message)
    if (message?.kind === KIND.request) void answer(client, message)
  })

  async function answer(client: Address, message: StunMessage): Promise<void> {
    const username = message.attributes.get(ATTRIBUTE.username)?.toString() ?? ''
    const key = longTermKey(username, REALM, credentialOf(secret, username))
    const outcome = await outcomeOf(client, message, { username, key, transactionId: Buffer.from(message.transactionId) })
    const isSigned = outcome !== 401 && outcome !== 438 && message.method !== METHOD.binding
    const kind = Array.isArray(outcome) ? KIND.success : KIND.failure
    const attributes = Array.isArray(outcome) ? outcome : failure(outcome, nonce)
    sendTo(door, writeStun({ ...message, kind }, attributes, isSigned ? key : undefined), client)
  }

  async function outcomeOf(client: Address, message: StunMessage, owner: Owner): Promise<Outcome> {
    if (message.method === METHOD.binding) return [[ATTRIBUTE.mapped, writeAddress(client)]]
    if (!message.isSignedBy(owner.key)) return 401
    if (message.attributes.get(ATTRIBUTE.nonce)?.toString() !== nonce) return 438
    if (message.method === METHOD.allocate) return await allocate(client, message, owner)
    const mine = allocations.get(nameOf(client))
    if (!mine) return 437
    if (mine.username !== owner.username) return 441
    if (message.method === METHOD.permit) return mine.permit(message)
    if (message.method === METHOD.bindChannel) return mine.bindChannel(message)
    if (message.method !== METHOD.refresh) return 400
    const seconds = secondsOf(message) ?? DEFAULT_SECONDS
    mine.renew(seconds)
    return [[ATTRIBUTE.lifetime, number32(seconds)]]
  }

  /** Asks for the time of the credentials here alone, as coturn does: a call is longer than they are. */
  async function allocate(client: Address, message: StunMessage, owner: Owner): Promise<Outcome> {
    const seconds = secondsOf(message) || DEFAULT_SECONDS
    const before = allocations.get(nameOf(client))
    if (before) return before.transactionId.equals(owner.transactionId) ? allocated(before, client, seconds) : 437
    if (!isUnexpired(owner.username, clock())) return 401
    if (message.attributes.get(ATTRIBUTE.transport)?.[0] !== UDP) return 442
    const ofName = [...allocations.values()].filter(({ username }) => username === owner.username)
    if (allocations.size >= ALLOCATIONS_MAX || ofName.length >= ALLOCATIONS_PER_NAME) return 486
    const socket = await openPort().catch(() => undefined)
    if (!socket) return 508
    const made = openAllocation({
      ...{ socket, owner },
      toClient: (bytes) => sendTo(door, bytes, client),
      onEnd: () => allocations.delete(nameOf(client)),
    })
    // The same request came twice meanwhile.
    allocations.get(nameOf(client))?.renew(0)
    allocations.set(nameOf(client), made)
    made.renew(seconds)
    return allocated(made, client, seconds)
  }

  return {
    port: door.address().port,
    async stop() {
      for (const each of [...allocations.values()]) each.renew(0)
      door.close()
      await once(door, 'close')
    },
  }
}

type Owner = Pick<Allocation, 'username' | 'key' | 'transactionId'>

const allocated = ({ port }: Allocation, client: Address, seconds: number): Attribute[] => [
  [ATTRIBUTE.relayed, writeAddress({ address: HERE, port })],
  [ATTRIBUTE.mapped, writeAddress(client)],
  [ATTRIBUTE.lifetime, number32(seconds)],
]

function failure(code: Exclude<Outcome, Attribute[]>, nonce: string): Attribute[] {
  const attributes: Attribute[] = [[ATTRIBUTE.failure, Buffer.from([0, 0, Math.floor(code / 100), code % 100])]]
  if (code === 401 || code === 438) attributes.push([ATTRIBUTE.realm, Buffer.from(REALM)], [ATTRIBUTE.nonce, Buffer.from(nonce)])
  return attributes
}

const nameOf = ({ address, port }: Address): string => `${address}:${port}`

function secondsOf({ attributes }: StunMessage): number | undefined {
  const value = attributes.get(ATTRIBUTE.lifetime)
  return value?.length === 4 ? Math.min(value.readUInt32BE(0), MAX_SECONDS) : undefined
}
