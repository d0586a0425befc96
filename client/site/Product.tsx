const ALT = {
  light: 'A chat of Eleanor and Marcus in Conclave by day, encrypted and verified',
  dark: 'A chat of Eleanor and Marcus in Conclave by night, encrypted and verified',
}

/** A chat by `npm run pictures`, in the theme of the page: of two lazy pictures a browser loads the one that is shown. */
export const Product = () => (
  <div className="wrap shown">
    <figure>
      {(['light', 'dark'] as const).map((theme) => (
        <picture key={theme} className={theme}>
          <source media="(max-width: 767px)" srcSet={`/chat-phone-${theme}.webp`} width={390} height={560} />
          <img src={`/chat-${theme}.webp`} width={1056} height={640} alt={ALT[theme]} loading="lazy" decoding="async" />
        </picture>
      ))}
    </figure>
    <p className="under">A chat in Conclave. Made-up people.</p>
  </div>
)
