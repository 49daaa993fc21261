;;; hipshift.el --- CUDA to HIP with hipshift's language server  -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1") (eglot "1.9"))
;; Keywords: languages, tools

;;; Commentary:

;; Serves CUDA and HIP sources with `hipshift lsp' through Eglot, and adds commands:
;; `hipshift-convert', `hipshift-preview', `hipshift-explain', `hipshift-fix-all' and
;; `hipshift-counterpart'.  Put this into your init file:
;;
;;   (require 'hipshift)
;;   (add-hook 'hipshift-cuda-mode-hook #'eglot-ensure)
;;   (add-hook 'hipshift-hip-mode-hook #'eglot-ensure)
;;
;; Settings of the server are set as for every server of Eglot, in .dir-locals.el for example:
;;
;;   ((nil . ((eglot-workspace-configuration . (:hipshift (:targets ["gfx90a" "gfx1100"]))))))

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'flymake)
(require 'jsonrpc)

(defgroup hipshift nil
  "CUDA to HIP."
  :group 'languages
  :prefix "hipshift-")

(defcustom hipshift-command '("hipshift" "lsp")
  "The server and its arguments."
  :type '(repeat string))

;;;; Sources

;;;###autoload
(define-derived-mode hipshift-cuda-mode c++-mode "CUDA"
  "Mode for CUDA sources: C++, with a server of its own.")

;;;###autoload
(define-derived-mode hipshift-hip-mode c++-mode "HIP"
  "Mode for HIP sources: C++, with a server of its own.")

;; What the protocol calls these languages.
(put 'hipshift-cuda-mode 'eglot-language-id "cuda-cpp")
(put 'hipshift-hip-mode 'eglot-language-id "hip")

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.cuh?\\'" . hipshift-cuda-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\.hip\\(?:\\.[ch]pp\\)?\\'" . hipshift-hip-mode))

(defun hipshift--contact (&rest _)
  "The server's command line, as it is set now."
  hipshift-command)

(add-to-list 'eglot-server-programs
             '((hipshift-cuda-mode hipshift-hip-mode) . hipshift--contact))

;;;; Requests

(defun hipshift--server ()
  "The server of this buffer; an error where there is none."
  (or (eglot-current-server)
      (user-error "No server for this buffer; start one with `M-x eglot'")))

(defun hipshift--uri ()
  "The address of this buffer's file."
  (plist-get (eglot--TextDocumentIdentifier) :uri))

(defun hipshift--execute (command &optional argument)
  "Run COMMAND of the server with ARGUMENT, and return its result.
The edits that it brings are what was asked for, so they are made at once."
  (let ((server (hipshift--server))
        (eglot-confirm-server-initiated-edits nil))
    (eglot--signal-textDocument/didChange)
    (jsonrpc-request server :workspace/executeCommand
                     (list :command command
                           :arguments (if argument (vector argument) [])))))

;;;; Conversion

;;;###autoload
(defun hipshift-convert (&optional begin end)
  "Convert the file to HIP, or what is selected between BEGIN and END.
The change can be undone; nothing is saved."
  (interactive (when (use-region-p) (list (region-beginning) (region-end))))
  (if begin
      (hipshift--execute
       "hipshift.convertSelection"
       (list :uri (hipshift--uri)
             :range (list :start (eglot--pos-to-lsp-position begin)
                          :end (eglot--pos-to-lsp-position end))))
    (hipshift--execute "hipshift.convertFile" (list :uri (hipshift--uri)))))

;;;###autoload
(defun hipshift-convert-workspace ()
  "Convert all files of the workspace to HIP, in buffers that you can save."
  (interactive)
  (hipshift--execute "hipshift.convertWorkspace"))

;;;###autoload
(defun hipshift-fix-all ()
  "Make all safe fixes in this buffer, as `hipshift lint --fix' does."
  (interactive)
  (hipshift--execute "hipshift.fixAll" (list :uri (hipshift--uri))))

;;;###autoload
(defun hipshift-counterpart ()
  "Go to the same place in the file that a conversion wrote, or back."
  (interactive)
  (let ((location (jsonrpc-request (hipshift--server) :hipshift/counterpart
                                   (eglot--TextDocumentPositionParams))))
    (unless location
      (user-error "No counterpart of this file is known"))
    (find-file (eglot--uri-to-path (plist-get location :uri)))
    (goto-char (car (eglot--range-region (plist-get location :range))))))

;;;; Preview

(defvar-local hipshift--preview nil
  "The buffer that shows the converted form of this one.")

(defun hipshift--fill (preview text)
  "Make TEXT the content of PREVIEW; windows stay where they are."
  (with-current-buffer preview
    (let ((inhibit-read-only t)
          (new (generate-new-buffer " *hipshift*")))
      (with-current-buffer new (insert text))
      (replace-buffer-contents new)
      (kill-buffer new)
      (set-buffer-modified-p nil))))

(defun hipshift--renew (source)
  "Ask for the converted form of the buffer SOURCE, and show it."
  (with-current-buffer source
    (let ((preview hipshift--preview))
      (jsonrpc-async-request
       (hipshift--server) :hipshift/openConverted
       (list :textDocument (eglot--TextDocumentIdentifier))
       :success-fn (lambda (converted)
                     (when (and converted (buffer-live-p preview))
                       (hipshift--fill preview (plist-get converted :text))))))))

;;;###autoload
(defun hipshift-preview ()
  "Show the converted form of this buffer beside it; it follows your edits."
  (interactive)
  (hipshift--server)
  (unless (buffer-live-p hipshift--preview)
    (setq hipshift--preview
          (generate-new-buffer (format "*hipshift: %s*" (buffer-name))))
    (with-current-buffer hipshift--preview
      (delay-mode-hooks (hipshift-hip-mode))
      (setq buffer-read-only t)))
  (hipshift--renew (current-buffer))
  (display-buffer hipshift--preview
                  '((display-buffer-reuse-window display-buffer-in-direction)
                    (direction . right)))
  hipshift--preview)

(cl-defmethod eglot-handle-notification
  (_server (_method (eql hipshift/convertedChanged)) &key uri &allow-other-keys)
  "The converted form of the document URI is another one now."
  (let ((source (find-buffer-visiting (eglot--uri-to-path uri))))
    (when (and source (buffer-live-p (buffer-local-value 'hipshift--preview source)))
      (hipshift--renew source))))

;;;; Pages of rules

(defun hipshift--code-here ()
  "The rule of a finding at point or on its line, nil where there is none."
  (cl-loop for finding in (append (flymake-diagnostics (point))
                                  (flymake-diagnostics (line-beginning-position)
                                                       (line-end-position)))
           for data = (cdr (assq 'eglot-lsp-diag (flymake-diagnostic-data finding)))
           when (equal (plist-get data :source) "hipshift")
           return (plist-get data :code)))

;;;###autoload
(defun hipshift-explain (code)
  "Show the page of the rule CODE, that of the finding here if there is one."
  (interactive
   (list (let ((here (hipshift--code-here)))
           (if (and here (not current-prefix-arg))
               here
             (read-string "Rule: ")))))
  (let ((page (hipshift--execute "hipshift.explain" (list :code code)))
        (buffer (get-buffer-create (format "*hipshift rule %s*" code))))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert page)
        (goto-char (point-min)))
      (if (fboundp 'markdown-view-mode) (markdown-view-mode) (special-mode)))
    (display-buffer buffer)
    buffer))

(cl-defmethod eglot-execute-command
  (_server (_command (eql hipshift.openRule)) arguments)
  "Open the page that an action names in ARGUMENTS."
  (hipshift-explain (plist-get (elt arguments 0) :code)))

(provide 'hipshift)
;;; hipshift.el ends here
