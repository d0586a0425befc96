import { LoaderCircle } from 'lucide-react'

/** A spinner with a text for screen readers. It appears after 200 ms. */
export function Spinner({ words, isVisible = false }: { words: string; isVisible?: boolean }) {
  return (
    <div className="centre late" role="status">
      <LoaderCircle className="i i-24 spin" aria-hidden />
      <span className={isVisible ? 'small t2' : 'sr'}>{words}</span>
    </div>
  )
}
