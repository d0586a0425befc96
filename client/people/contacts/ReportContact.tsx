import { type FormEvent, useEffect, useId, useState } from 'react'
import { REPORT_LIMITS } from '../../../contract/chat/reportlimits.ts'
import { REPORT_CATEGORIES } from '../../../contract/chat/reports.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { isRequest } from '../../rooms/list/room.ts'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { FormFooter } from '../../ui/FormFooter.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { type Offered, reportable, sendReport } from './report.ts'
import './report.css'

const CATEGORIES: Record<(typeof REPORT_CATEGORIES)[number], string> = {
  spam: 'Spam',
  harassment: 'Harassment',
  threat: 'A threat',
  fraud: 'Fraud',
  illegal: 'Illegal content',
  other: 'Something else',
}

const NOTHING = { chatRoomId: '', text: '' }

/** What was typed about somebody and not sent yet. */
let unsent = NOTHING

// A chat's id is the same for both: the other one may sign in next.
accountStore.subscribe(({ user }, before) => {
  if (user?.id !== before.user?.id) unsent = NOTHING
})

/** Asks for a report: what it is about, what the person wants to say, and which messages they disclose. */
export function ReportContact({ room, person, onClose }: { room: DirectRow; person: Person; onClose: () => void }) {
  const env = useEnv()
  const [reportId] = useState(() => crypto.randomUUID())
  const [category, setCategory] = useState<keyof typeof CATEGORIES>('spam')
  const [text, setText] = useState(unsent.chatRoomId === room.id ? unsent.text : '')
  const [offered, setOffered] = useState<Offered[]>([])
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const [isPending, setPending] = useState(false)
  // As it was when the question was asked: what comes meanwhile must not push out what is ticked.
  const [asked] = useState(room)
  const textId = useId()
  const name = isRequest(room) ? `@${person.username}` : nameOf(person)
  useEffect(() => {
    let isOpen = true
    reportable(env, asked).then(
      (messages) => isOpen && setOffered(messages),
      (error) => showToast({ tone: 'bad', title: 'Messages could not be loaded', text: failureWords(error) }),
    )
    return () => {
      isOpen = false
    }
  }, [env, asked])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isPending) return
    setPending(true)
    try {
      const messages = offered.filter(({ seq }) => chosen.has(seq))
      await sendReport(env, room, { id: reportId, category, text: text.trim(), messages })
      unsent = NOTHING
      onClose()
      showToast({ tone: 'good', title: 'Report sent', text: `The operator of this server can read it. ${name} is not told.` })
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'The report was not sent', text: failureWords(error) })
    }
  }

  function choose(seq: number) {
    const next = new Set(chosen)
    if (!next.delete(seq)) next.add(seq)
    setChosen(next)
  }

  return (
    <Dialog
      title={`Report ${name}`}
      text="The operator of this server reads what you write and tick here, and nothing else. They are not told."
      onClose={onClose}
    >
      <form onSubmit={submit} className="report">
        <fieldset>
          <legend>Reason</legend>
          {REPORT_CATEGORIES.map((one) => (
            <label className="pick" key={one}>
              <input type="radio" name="category" checked={one === category} onChange={() => setCategory(one)} />
              {CATEGORIES[one]}
            </label>
          ))}
        </fieldset>
        <div className="field">
          <label htmlFor={textId}>
            What happened <span>at most {REPORT_LIMITS.reportTextMax.toLocaleString('en')} characters</span>
          </label>
          <div className="input">
            <textarea
              id={textId}
              rows={3}
              value={text}
              maxLength={REPORT_LIMITS.reportTextMax}
              autoComplete="off"
              dir="auto"
              onChange={({ target }) => {
                unsent = { chatRoomId: room.id, text: target.value }
                setText(target.value)
              }}
            />
          </div>
        </div>
        {offered.length > 0 && (
          <fieldset>
            <legend>Messages that you show, as text</legend>
            <div className="offered">
              {offered.map(({ seq, text: words }) => (
                <label className="pick" key={seq}>
                  <input type="checkbox" checked={chosen.has(seq)} onChange={() => choose(seq)} />
                  <span dir="auto">{words}</span>
                </label>
              ))}
            </div>
          </fieldset>
        )}
        <FormFooter action="Send report" pendingAction="Sending..." isPending={isPending} isDangerous onClose={onClose} />
      </form>
    </Dialog>
  )
}
