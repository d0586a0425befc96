import { ScanLine } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Scanner } from '../../ui/Scanner.tsx'
import { Wrong } from '../../ui/Wrong.tsx'
import { KIT_WORDS, listWords, loadWordlist, readKit, wordsIn } from './kit.ts'
import './kit.css'

interface Props {
  value: string
  /** Error text if the last attempt failed because of the words. */
  error: string | undefined
  onValue: (words: string) => void
}

/** A field for a kit's words, typed, pasted or scanned. It names unknown words while the person types. */
export function KitEntry({ value, error, onValue }: Props) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [wordlist, setWordlist] = useState<readonly string[]>()
  const [isScanning, setScanning] = useState(false)
  const [scanned, setScanned] = useState<string>()
  useEffect(() => {
    // If the list cannot be loaded, the words are checked only when they are sent.
    loadWordlist().then(setWordlist, () => setWordlist([]))
  }, [])
  const { count, unknown } = readKit(value, wordlist ?? [])
  const isListed = wordlist !== undefined && wordlist.length > 0
  const named = isListed && unknown.length > 0 ? unknownWords(unknown) : undefined
  const problem = error ?? named

  function take(text: string) {
    const words = wordsIn(text)
    if (words.length !== KIT_WORDS)
      return setScanned('This code is not a recovery kit. Hold the one of your kit before the camera.')
    stop()
    onValue(words.join(' '))
  }

  function stop() {
    setScanning(false)
    setScanned(undefined)
    // The focused button disappears with the scanner, so the focus moves to the field.
    field.current?.focus()
  }

  return (
    <div className="field kit-entry">
      <label htmlFor={id}>
        Words of the kit <span>24, in their order</span>
      </label>
      <div className={problem ? 'input bad' : 'input'}>
        <textarea
          ref={field}
          id={id}
          className="mono"
          rows={5}
          value={value}
          onChange={(event) => onValue(event.target.value)}
          // The browser must not store the words for the next visit or send them to a spelling service.
          autoComplete="off"
          autoCorrect="off"
          autoCapitalize="none"
          spellCheck={false}
          translate="no"
          data-gramm="false"
          maxLength={1000}
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-count ${id}-note`}
        />
      </div>
      <div id={`${id}-note`}>{problem && <Wrong>{problem}</Wrong>}</div>
      <div className="kit-entry-foot">
        <p className="help" id={`${id}-count`}>
          {countWords(count)}
        </p>
        <span className="sr" role="status">
          {count === KIT_WORDS && 'All 24 words are there'}
        </span>
        {!isScanning && (
          <button type="button" className="linkish" onClick={() => setScanning(true)}>
            <ScanLine className="i i-14" aria-hidden />
            Scan the code
          </button>
        )}
      </div>
      {isScanning && (
        <>
          <Scanner instead="type the words" onCode={take} onStop={stop} />
          {scanned && <Wrong>{scanned}</Wrong>}
        </>
      )}
    </div>
  )
}

const countWords = (count: number) =>
  count > KIT_WORDS ? `${count} words: ${count - KIT_WORDS} too many` : `${count} of ${KIT_WORDS} words`

const unknownWords = (unknown: string[]) =>
  unknown.length === 1
    ? `${listWords(unknown)} is not a word of a recovery kit`
    : `${listWords(unknown)} are not words of a recovery kit`
