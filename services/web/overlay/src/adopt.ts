// Lets a streamer's own style sheet in: overlay tools add a <style> to the page, which its policy ignores. What is adopted
// here is style and never script, and cannot load anything: the policy still stands.

/** Adopts each <style> that comes into the head; the answer ends that. */
export function adoptStyles(head: HTMLHeadElement = document.head): () => void {
  const adopted = new Map<Element, CSSStyleSheet>();
  const adopt = () => {
    for (const style of head.querySelectorAll('style')) {
      if (adopted.has(style) || style.sheet) continue; // a sheet means that it was not ignored
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style.textContent);
      adopted.set(style, sheet);
    }
    for (const style of adopted.keys()) if (!style.isConnected) adopted.delete(style);
    document.adoptedStyleSheets = [...adopted.values()];
  };
  adopt();
  const observer = new MutationObserver(adopt);
  observer.observe(head, { childList: true });
  return () => observer.disconnect();
}
