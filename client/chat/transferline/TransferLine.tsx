import { type ReactNode, useEffect, useState } from 'react'
import type { TransferContent } from '../../../contract/chat/content.ts'
import { spokenStage } from './stageWords.ts'
import { TransferBody } from './TransferBody.tsx'
import { transferStore } from './transferState.ts'
import { useOtherName, useTransfer } from './useTransfer.tsx'

interface Props {
  message: { seq: number | null; isMine: boolean; at: string }
  body: { transfer: TransferContent; chatRoomId: string }
  meta: ReactNode
}

/** A direct transfer in the timeline: how far it is, and what can be done about it. */
export function TransferLine({ message: { seq, isMine, at }, body: { transfer: content, chatRoomId }, meta }: Props) {
  const name = useOtherName(chatRoomId)
  const transfer = useTransfer({ content, chatRoomId, isMine, at })
  return (
    <div className="bub file transfer-line">
      <TransferBody {...{ content, transfer, name, seq }} />
      <Spoken transferId={content.transferId} name={name} />
      <p>{meta}</p>
    </div>
  )
}

/** Says changes of the stage to a screen reader, and no figures. */
function Spoken({ transferId, name }: { transferId: string; name: string }) {
  const [words, setWords] = useState('')
  useEffect(
    () =>
      transferStore.subscribe(({ transfers }, before) => {
        const now = transfers.get(transferId)
        const said = now && spokenStage(before.transfers.get(transferId), now, name)
        if (said !== undefined) setWords(said)
      }),
    [transferId, name],
  )
  return (
    <span className="sr" role="status">
      {words}
    </span>
  )
}
