import type { ReactNode } from 'react'
import type { TransferContent } from '../../../contract/chat/content.ts'

interface Props {
  message: { id: string; isMine: boolean; at: string }
  body: { transfer: TransferContent; text: string; chatRoomId: string }
  meta: ReactNode
}

export function TransferLine({ body: { text }, meta }: Props) {
  return (
    <div className="bub">
      {text}
      {meta}
    </div>
  )
}
