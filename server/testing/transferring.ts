import { randomUUID } from 'node:crypto'
import { TRANSFER_LIMITS } from '../../contract/chat/transferlimits.ts'
import { transfersApi } from '../../contract/chat/transfers.ts'
import type { Browser } from './browser.ts'
import { bytes, type Caller, pairOnLine } from './calling.ts'
import type { Person } from './person.ts'
import type { World } from './world.ts'

const MIB = TRANSFER_LIMITS.toldStepBytes

/** Registers an offer, and returns its id. */
export async function offers(who: Browser, to: Person, mib = 1): Promise<string> {
  const transferId = randomUUID()
  await who.does(transfersApi.offer, { transferId, to: to.id, bytes: mib * MIB })
  return transferId
}

export function accepts(line: Caller, transferId: string, to: string, attempt = 1): void {
  line.sends('transfer-accept', { transferId, to, attempt, signal: bytes(32) })
}

/** Alice has offered and Bob has accepted; both have heard it. */
export async function inTransfer(world: World, mib = 1) {
  const pair = await pairOnLine(world)
  const transferId = await offers(pair.alice, pair.bob, mib)
  accepts(pair.his, transferId, pair.alice.id)
  await pair.his.hears('transfer-success', ({ data }) => data.transferId === transferId)
  await pair.hers.hears('transfer-accept', ({ data }) => data.transferId === transferId)
  for (const line of [pair.hers, pair.his]) {
    await line.settles()
    line.news()
  }
  return { ...pair, transferId }
}

export const rowOf = async (world: World, transferId: string) =>
  (await world.sql('select * from transfers where id = $1', [transferId]))[0]
