import { CircleHelp } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { NEEDS_NEWER, UNSUPPORTED } from '../../../contract/chat/contentwords.ts'
import { showToast } from '../../ui/toast.ts'

/** Ids of messages that a toast has announced. */
const told = new Set<string>()

/** Stands for a message of a kind unknown to this build. */
export function Unsupported({ id, meta }: { id: string; meta: ReactNode }) {
  useEffect(() => {
    if (told.has(id)) return
    told.add(id)
    showToast({ tone: 'bad', title: UNSUPPORTED, text: `${NEEDS_NEWER}.` })
  }, [id])
  return (
    <div className="bub unreadable">
      <CircleHelp className="i i-16" aria-hidden />
      <p>
        {UNSUPPORTED}. {NEEDS_NEWER}.{meta}
      </p>
    </div>
  )
}
