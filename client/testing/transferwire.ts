import type { TransferEndReason } from '../../contract/chat/transferframes.ts'
import { TRANSFER_LIMITS } from '../../contract/chat/transferlimits.ts'
import type { ListedTransfer } from '../../contract/chat/transfers.ts'
import type { ClientFrame, ServerFrame } from '../../contract/frames.ts'
import { callWire, type Line } from './callwire.ts'

export type TransferWire = ReturnType<typeof transferWire>

/** The frames of direct transfers, as the server passes them between sockets in memory, and what it lists. */
export function transferWire() {
  const wire = callWire()
  const listed = new Map<string, ListedTransfer>()

  const changed = ({ transferId, from, to, receiverDevice: device, end }: ListedTransfer) => {
    for (const userId of [from, to]) wire.tell(userId, null, { type: 'transfer-changed', data: { transferId, device, end } })
  }

  function end(transferId: string, reason: TransferEndReason): void {
    const one = listed.get(transferId)
    if (!one || one.end !== null) return
    one.end = reason
    changed(one)
  }

  const refused = (line: Line, id: string, code: string) => line.hears({ type: 'refused', data: { code, error: code, id } })

  wire.others = (line, frame) => {
    if (!('transferId' in frame.data)) return
    const { transferId } = frame.data
    const one = listed.get(transferId)
    if (!one || one.end !== null) return refused(line, transferId, 'transfer_over')
    if (frame.type === 'transfer-accept') return accept(line, one, frame.data)
    const isSender = line.userId === one.from
    if (isSender ? line.deviceId !== one.senderDevice : line.deviceId !== one.receiverDevice)
      return refused(line, transferId, 'transfer_elsewhere')
    const device = isSender ? one.receiverDevice : one.senderDevice
    if (device === null || ('attempt' in frame.data && frame.data.attempt !== one.attempt)) return
    wire.tell(frame.data.to, device, heard(line, frame))
  }

  const heard = (line: Line, { type, data }: ClientFrame): ServerFrame =>
    ({ type, data: { ...data, from: line.userId, device: line.deviceId } }) as ServerFrame

  function accept(line: Line, one: ListedTransfer, data: Extract<ClientFrame, { type: 'transfer-accept' }>['data']): void {
    if (one.receiverDevice !== null && one.receiverDevice !== line.deviceId) {
      refused(line, one.transferId, 'transfer_elsewhere')
      return
    }
    if (one.receiverDevice === null) {
      one.receiverDevice = line.deviceId
      changed(one)
    }
    const isThere = one.senderDevice !== null && wire.isHere(one.from, one.senderDevice)
    line.hears({ type: 'transfer-success', data: { transferId: one.transferId, isThere } })
    if (!isThere || data.attempt <= one.attempt) return
    one.attempt = data.attempt
    wire.tell(one.from, one.senderDevice, heard(line, { type: 'transfer-accept', data }))
  }

  return Object.assign(wire, {
    listed,
    end,
    offer(from: string, senderDevice: string, { transferId, to }: { transferId: string; to: string }): void {
      const expiresAt = new Date(Date.now() + TRANSFER_LIMITS.offerSeconds * 1000).toISOString()
      if (!listed.has(transferId))
        listed.set(transferId, { transferId, from, to, senderDevice, receiverDevice: null, attempt: 0, end: null, expiresAt })
    },
    listOf: (userId: string) => structuredClone([...listed.values()].filter(({ from, to }) => from === userId || to === userId)),
  })
}
