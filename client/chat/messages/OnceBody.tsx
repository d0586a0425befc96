import type { ReactNode } from 'react'
import { useStore } from 'zustand'
import { UploadStrip } from '../files/UploadStrip.tsx'
import { uploadsStore } from '../files/uploadsState.ts'
import '../files/files.css'
import { OnceTile } from '../once/OnceTile.tsx'
import { askOnce, canOpen } from './onceAsked.ts'
import type { BodyOf, ShownMessage } from './store.ts'

interface Props {
  message: ShownMessage
  body: BodyOf<'once'>
  above: ReactNode
  meta: ReactNode
}

/** A message that opens once, in the timeline. */
export function OnceBody({ message, body: { once }, above, meta }: Props) {
  const { id, isMine } = message
  const upload = useStore(uploadsStore, ({ uploads }) => (isMine ? uploads.find((one) => one.id === id) : undefined))
  const isOut = upload !== undefined || message.seq === null
  return (
    <div className="bub att once">
      {above}
      <OnceTile {...{ once, message, isOut }} onOpen={canOpen(message) ? () => askOnce(message) : undefined} />
      {upload && <UploadStrip upload={upload} />}
      <p>{meta}</p>
    </div>
  )
}
