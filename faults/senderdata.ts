import { decryptSenderData } from 'ts-mls/privateMessage.js'
import { openLive } from '../client/worker/account/openAccount.ts'
import { epochOf } from '../client/worker/group/mls.ts'
import { withRoom } from '../client/worker/group/roomState.ts'
import { decode, suite } from '../client/worker/group/suite.ts'
import { devicesApi } from '../contract/account/devices.ts'
import { parseEnvelope } from '../contract/chat/envelope.ts'
import { fromBase64 } from '../contract/ground/bytes.ts'
import type { HeadlessUser } from '../e2e/crowd.ts'

/** 12 bytes, and 32, as base64. */
const [NONCE_CHARS, COMMITMENT_CHARS] = [16, 42]

/** Which keys of a chat's MLS groups its messages were sealed with, as a member sees it. */
export interface SpentKeys {
  /** Notes the secret of the epoch in which the member is. */
  notes(): Promise<void>
  /** Reads these messages of the server. Returns what two of them share, and how many were read. */
  reused(rows: { id: string; content: string }[]): Promise<{ shared: string[]; count: number }>
}

/** Danger: holds secrets of a group. A key of the secret tree is named by leaf and generation [Note: M6]. */
export async function watchKeys({ userId, username, env }: HeadlessUser, chatRoomId: string, peerId: string): Promise<SpentKeys> {
  const live = await openLive(userId, await env.api(devicesApi.unlock, {}), username)
  const secrets = new Map<string, Uint8Array>()
  return {
    notes: () =>
      withRoom(live, chatRoomId, [peerId], async ({ group, record }) => {
        if (group && record?.groupId) secrets.set(`${record.groupId} ${epochOf(group)}`, group.keySchedule.senderDataSecret)
      }),
    async reused(rows) {
      const usedBy = new Map<string, string>()
      const shared: string[] = []
      let count = 0
      const uses = (name: string, id: string) => {
        const other = usedBy.get(name)
        if (other !== undefined && other !== id) shared.push(`${name}: ${other} and ${id}`)
        usedBy.set(name, id)
      }
      for (const { id, content } of rows) {
        const envelope = parseEnvelope(content)
        if (!envelope) continue
        const epoch = `epoch ${envelope.epoch} of ${envelope.groupId}`
        uses(`the nonce ${envelope.archive.slice(0, NONCE_CHARS)} of the archive key in ${epoch}`, id)
        uses(`the commitment ${envelope.body.slice(0, COMMITMENT_CHARS)}`, id)
        const secret = secrets.get(`${envelope.groupId} ${envelope.epoch}`)
        if (!secret) continue
        const { privateMessage } = decode(fromBase64(envelope.mls), 'mls_private_message')
        const sender = await decryptSenderData(privateMessage, secret, await suite())
        if (!sender) throw new Error('The sender of a message cannot be read')
        uses(`${epoch}, leaf ${sender.leafIndex}, generation ${sender.generation}`, id)
        count += 1
      }
      return { shared, count }
    },
  }
}
